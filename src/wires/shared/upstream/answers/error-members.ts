import type { Members } from './members.ts'
import { ERROR_FIELDS } from './read-error.ts'

/** The members of a failure, of any vendor. */
export const ERROR_MEMBERS: Members = {
  path: 'error.',
  read: ERROR_FIELDS,
  ignored: {
    param: 'the member of the request that the upstream received, which is not that of the client',
    param_name: 'the member of the request that the upstream received, which is not that of the client',
    object: 'the kind of the object',
    innererror: 'the classes of a content filter, whose verdict is the code',
    request_id: 'an id of the upstream',
    event_id: 'an id of the upstream',
    sequence_number: 'the number of the event',
  },
}
