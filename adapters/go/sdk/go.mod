module toolassay/sdk

go 1.23
