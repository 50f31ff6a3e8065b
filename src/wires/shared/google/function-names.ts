/** The names of functions that Google accepts. */
export const GOOGLE_NAMES = {
  pattern: /^[A-Za-z_][\w.:-]{0,127}$/,
  words: 'a letter or _, and at most 127 more letters, digits, _ . : and -',
}
