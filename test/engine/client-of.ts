import type { ClientRequest } from '../../src/engine/client-request.ts'
import type { Request } from '../../src/protocol/request.ts'
import { createSourceMap } from '../../src/protocol/source-map.ts'
import { absentMembersOf } from '../../src/wires/absent-members.ts'
import { RESPONSES_WIRE } from '../../src/wires/contract.ts'

/** A request of a client of the dialect `openai`. */
export const clientOf = (request: Request, body: unknown): ClientRequest => ({
  request,
  losses: [],
  untranslatable: null,
  required: null,
  absent: absentMembersOf(RESPONSES_WIRE),
  settings: {},
  sourceMap: createSourceMap((path) => path),
  sent: {
    wire: RESPONSES_WIRE,
    dialect: 'openai',
    body,
    isIntact: true,
    unsupported: new Set(),
  },
})
