export const KEY = 'bench'

/** The state of a gateway: bytes of all memory, and milliseconds of processor time. */
export interface Report {
  readonly rss: number
  readonly cpu: number
}
