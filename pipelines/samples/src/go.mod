module example.org/service

go 1.26
