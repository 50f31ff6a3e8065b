/** The names of the measured calls. */
export const PROGRAMS = {
  empty: 'node -e ""',
  version: 'millrace --version',
  help: 'millrace --help',
  commandHelp: 'millrace translate --help',
} as const

/** Milliseconds that the median of `millrace --version` may take above an empty Node, whose start is that of the host. */
export const MOST_MS = 40

/** The case with this difference. */
export const ABOVE_EMPTY = `${PROGRAMS.version} above ${PROGRAMS.empty}, median`
