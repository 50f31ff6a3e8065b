const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/

/** The client's own id if it is safe in headers and logs, else a new id. */
export const toRequestId = (given: string | string[] | undefined, random: () => string): string =>
  typeof given === 'string' && REQUEST_ID.test(given) ? given : `req_${random().slice(0, 24)}`
