module broker

go 1.26
