import type { Request } from '../../protocol/request.ts'
import type { Steps } from '../../text/steps.ts'
import type { UpstreamContext } from '../../wires/contract.ts'
import { mendTools, roundedSchemas } from '../../wires/shared/upstream/schemas/mend-tools.ts'
import type { Pass, Passed, PlannedPass } from './pass.ts'

/** Schemas of functions have nothing that the upstream refuses. Numbers that parsing has rounded are losses. */
export const schemas: Pass = () => MENDED

const MENDED: PlannedPass = { apply: mend }

function* mend(original: Request, { quirks }: UpstreamContext): Steps<Passed> {
  const { request, losses } = yield* mendTools(original, quirks.refusesInSchemas ?? [])
  const own = [...losses, ...roundedSchemas(request)]
  return { ok: true, request, losses: (later) => (own.length === 0 ? later : [...own, ...later]) }
}
