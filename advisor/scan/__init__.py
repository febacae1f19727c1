"""Many patterns → those that can match in a text, in one linear pass. RE2 then says which do, and where."""
