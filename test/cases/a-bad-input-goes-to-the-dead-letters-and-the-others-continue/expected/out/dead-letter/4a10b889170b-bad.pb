this is no profile
