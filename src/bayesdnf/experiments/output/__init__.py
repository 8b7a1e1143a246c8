"""A reproduction as text, as a picture, as files of a folder and as a page about all of them."""
