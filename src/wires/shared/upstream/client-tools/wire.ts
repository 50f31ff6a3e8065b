import { pipe } from '../../../../machine/pipe.ts'
import { run } from '../../../../machine/run.ts'
import type { Request } from '../../../../protocol/request.ts'
import { runSteps, type Steps } from '../../../../text/steps.ts'
import type { Encoded, UpstreamContext, Wire } from '../../../contract.ts'
import { toClientCalls } from './calls.ts'
import { clientToolsOf, functionLosses, hasClientTools, toFunctionRequest } from './request.ts'
import type { ClientToolName } from './table.ts'

/**
 * Returns a wire that sends tools of the client (`shell`, `apply_patch` …) as functions, and converts their calls back
 * into items of those tools. Returns the wire itself if the request has none of them. `lacking`: the tools that the
 * upstream does not have.
 */
export function withClientTools(wire: Wire, request: Request, lacking: readonly ClientToolName[]): Wire {
  if (!hasClientTools(request, lacking)) return wire
  const names = clientToolsOf(request, lacking)
  function* encodeSteps(original: Request, target: UpstreamContext): Steps<Encoded> {
    const changed = toFunctionRequest(original, names, lacking)
    const encoded = yield* wire.encodeSteps(changed, target)
    return encoded.ok ? { ...encoded, losses: [...functionLosses(original, changed), ...encoded.losses] } : encoded
  }
  const encoding = {
    encodeSteps,
    encodeRequest: (original: Request, target: UpstreamContext) => runSteps(encodeSteps(original, target)),
  }
  if (names.size === 0) return { ...wire, ...encoding }
  const back = toClientCalls(names)
  return {
    ...wire,
    ...encoding,
    decodeStream: (own) => pipe(wire.decodeStream(own), back),
    decodeBody: (body, own) => run(back, wire.decodeBody(body, own)),
  }
}
