/** The names of the measured calls. */
export const PROGRAMS = {
  empty: 'node -e ""',
  version: 'millrace --version',
  help: 'millrace --help',
  commandHelp: 'millrace translate --help',
} as const

/** Milliseconds that the median of `millrace --version` may take. */
export const MOST_MS = 150
