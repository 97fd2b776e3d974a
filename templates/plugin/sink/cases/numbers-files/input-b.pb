and others
