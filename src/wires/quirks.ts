/**
 * What tells one vendor of a wire from another: named fields of its row in `vendors/`, all optional, the common case
 * being left out. A wire reads the fields it knows.
 */
export interface Quirks {
  /** Its models put their thoughts into the text, between `<think>` and `</think>`; the opening tag may be missing. */
  readonly thinkTags?: boolean
}
