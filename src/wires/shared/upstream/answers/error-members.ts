import type { Members } from './members.ts'
import { ERROR_FIELDS } from './read-error.ts'

/** The members of a failure, of any vendor. */
export const ERROR_MEMBERS: Members = {
  path: 'error.',
  read: ERROR_FIELDS,
  ignored: {
    request: ['param', 'param_name'],
    kind: ['object'],
    filter: ['innererror'],
    id: ['request_id', 'event_id'],
    position: ['sequence_number'],
  },
}
