any bytes
