import { getOrCreate } from '../../collections/get-or-create.ts'
import type { Machine } from '../../machine/machine.ts'
import { pipe } from '../../machine/pipe.ts'
import { run } from '../../machine/run.ts'
import type { Delta } from '../../protocol/delta.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { Request } from '../../protocol/request.ts'
import type { SearchPlan } from '../../search/plan.ts'
import type { Steps } from '../../text/steps.ts'
import type { Encoded, UpstreamContext, Wire } from '../../wires/contract.ts'
import type { ClientRequest } from '../client-request.ts'
import { breakpoints } from './breakpoints.ts'
import { clientTools } from './client-tools.ts'
import { compaction } from './compaction.ts'
import { customTools } from './custom-tools.ts'
import { inputChanges } from './input-changes.ts'
import { ownReasoning } from './own-reasoning.ts'
import type { Pass, PassContext, Passed, PlannedPass } from './pass.ts'
import { plainInput } from './plain-input.ts'
import { responsesFields } from './responses-fields.ts'
import { schemas } from './schemas.ts'
import { search } from './search.ts'

/** All passes, in the order in which they change a request. The deltas of the answer take the opposite order. */
const PASSES: readonly Pass[] = [
  search,
  ownReasoning,
  inputChanges,
  compaction,
  clientTools,
  responsesFields,
  customTools,
  schemas,
  plainInput,
  breakpoints,
]

/** What the passes make of a client's request for its upstream. */
export interface PlannedPasses {
  /** The client's request for the whole exchange. */
  readonly client: ClientRequest
  readonly passes: readonly PlannedPass[]
  /** The search that the gateway makes itself. */
  readonly search: SearchPlan | null
  /** The reason why the request cannot be sent, with the path of `client`. */
  readonly refusal: GatewayError | null
}

/** Plans the passes of an exchange, up to the first one that refuses it. */
export function planPasses(original: ClientRequest, context: PassContext): PlannedPasses {
  const passes: PlannedPass[] = []
  let client = original
  let searchPlan: SearchPlan | null = null
  for (const pass of PASSES) {
    const planned = pass(client, context)
    if (planned === null) continue
    if (planned.refusal !== undefined) return { client, passes, search: searchPlan, refusal: planned.refusal }
    passes.push(planned)
    client = planned.client ?? client
    searchPlan = planned.search ?? searchPlan
  }
  return { client, passes, search: searchPlan, refusal: null }
}

type Changed = Extract<Passed, { readonly ok: true }>

/** Encodes a request of the exchange after its passes, in slices. Losses and failures have paths of the given request. */
export function* encodeAfter(
  passes: readonly PlannedPass[],
  wire: Wire,
  given: Request,
  target: UpstreamContext,
): Steps<Encoded> {
  const changes: Changed[] = []
  let request = given
  let refused: Extract<Passed, { readonly ok: false }> | null = null
  for (const { apply } of passes) {
    if (apply === undefined) continue
    const result = apply(request, target)
    const passed = 'next' in result ? yield* result : result
    if (!passed.ok) {
      refused = passed
      break
    }
    changes.push(passed)
    request = passed.request
  }
  let encoded: Encoded = refused ?? (yield* wire.encodeSteps(request, target))
  for (const { losses, error } of changes.reverse()) {
    if (encoded.ok) encoded = { ...encoded, losses: losses(encoded.losses) }
    else if (error !== undefined) encoded = { ok: false, error: error(encoded.error) }
  }
  return encoded
}

// ---------------------------------------------------------------- the answer

type Back = Machine<unknown, Delta, Delta>

/** Memory of the process: equal passes have the same machine, so that their streams share a decoder and its shapes. */
const DECODING = new WeakMap<Wire, WeakMap<Back, Wire>>()
const WHOLE = new WeakMap<Wire, Wire>()

/** Returns the wire that decodes the answer to a request with these passes. */
export function answerWire(wire: Wire, passes: readonly PlannedPass[]): Wire {
  const isReplaced = passes.some(({ replaces }) => replaces === true)
  const first = isReplaced ? getOrCreate(WHOLE, wire, withoutText) : wire
  return passes.reduceRight((inner, { back }) => (back === undefined ? inner : withBack(inner, back)), first)
}

const withoutText = ({ passthrough: _, template: __, ...wire }: Wire): Wire => wire

const withBack = (wire: Wire, back: Back): Wire =>
  getOrCreate(
    getOrCreate(DECODING, wire, () => new WeakMap()),
    back,
    () => ({
      ...wire,
      decodeStream: (quirks) => pipe(wire.decodeStream(quirks), back),
      decodeBody: (body, quirks) => run(back, wire.decodeBody(body, quirks)),
    }),
  )
