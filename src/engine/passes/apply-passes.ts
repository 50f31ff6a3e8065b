import { getOrCreate } from '../../collections/get-or-create.ts'
import type { Machine } from '../../machine/machine.ts'
import { pipe } from '../../machine/pipe.ts'
import { run } from '../../machine/run.ts'
import type { Delta } from '../../protocol/delta.ts'
import { joinLosses } from '../../protocol/loss.ts'
import type { Request } from '../../protocol/request.ts'
import { createSourceMap } from '../../protocol/source-map.ts'
import { HOSTED_ITEMS } from '../../responses/hosted-tools.ts'
import type { Steps } from '../../text/steps.ts'
import type { Encoded, UpstreamContext, Wire } from '../../wires/contract.ts'
import type { Passed, PlannedPass } from './pass.ts'

type Changed = Extract<Passed, { readonly ok: true }>

/**
 * Encodes a request of the exchange after its passes, in slices. Losses, failures and origins have paths of the given
 * request. `reduce`: leaves out what the caller does not need of the request that is encoded.
 */
export function* encodeAfter(
  passes: readonly PlannedPass[],
  wire: Wire,
  given: Request,
  target: UpstreamContext,
  reduce: (request: Request) => Request = (whole) => whole,
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
  let encoded: Encoded = refused ?? (yield* wire.encodeRequest(reduce(request), target))
  for (const change of changes.reverse()) encoded = withChange(encoded, change, target)
  return encoded
}

function withChange(encoded: Encoded, { losses, toEarlier }: Changed, { origins }: UpstreamContext): Encoded {
  if (toEarlier !== undefined) origins?.translate(toEarlier)
  if (encoded.ok && encoded.losses.length === 0 && typeof losses !== 'function' && losses.length === 0) return encoded
  const map = toEarlier === undefined ? null : createSourceMap(toEarlier)
  if (!encoded.ok) return map === null ? encoded : { ok: false, error: map.toClientError(encoded.error) }
  const own = typeof losses === 'function' ? losses(encoded.losses) : losses
  if (map !== null) return { ...encoded, losses: joinLosses(own, map.toClientLosses(encoded.losses)) }
  return own.length === 0 ? encoded : { ...encoded, losses: [...own, ...encoded.losses] }
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
      // A pass may report items where the wire has none.
      hosted: HOSTED_ITEMS,
      decodeStream: (quirks) => pipe(wire.decodeStream(quirks), back),
      decodeBody: (body, quirks) => run(back, wire.decodeBody(body, quirks)),
    }),
  )
