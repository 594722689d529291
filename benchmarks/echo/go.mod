module toolassay/echo

go 1.23
