"""The document that users edit: instances of parts, mates between ports; compiled into a Robot."""
