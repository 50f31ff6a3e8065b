import { NOTHING } from '../../machine/machine.ts'
import type { CallDelta, Delta, FinalDelta } from '../../protocol/delta.ts'
import { citeSource } from '../prompt.ts'
import { bufferCall } from './buffered-calls.ts'
import type { LoopSettings, LoopState, LoopTransition } from './state.ts'
import { addUsage } from './turn-history.ts'

/** Decodes a delta of the open turn into outputs of the loop. */
export function applyTurnDelta(state: LoopState, delta: Delta, settings: LoopSettings): LoopTransition {
  switch (delta.kind) {
    case 'text':
      return applyText(state, delta.key, delta.part, rekeyed(state, delta))
    case 'call':
      return applyCall(state, delta, settings)
    case 'usage':
      return {
        state: { ...state, usage: delta.usage },
        outputs: [{ kind: 'usage', usage: addUsage(state.used, delta.usage) }],
      }
    case 'finish':
      return { state: { ...state, finish: delta }, outputs: NOTHING }
    case 'start':
    case 'served':
    case 'error':
    case 'cut':
    case 'loss':
      return { state, outputs: [delta] }
    case 'final':
      return applyFinal(state, delta, settings)
    case 'citation':
      return { state, outputs: [rekeyed(state, delta)] }
    default:
      return { state: uncited(state), outputs: [rekeyed(state, delta)] }
  }
}

/** The calls of searches are held back until they are whole, so that their final values are not compared. */
const applyFinal = (state: LoopState, { kind, whole }: FinalDelta, { tool }: LoopSettings): LoopTransition => ({
  state,
  outputs: whole.kind === 'call' && tool !== null ? NOTHING : [{ kind, whole: rekeyed(state, whole) }],
})

type Keyed = Extract<Delta, { readonly key: string }>

/** Upstreams use the same keys in every answer, so each turn gets a prefix. */
export const rekeyed = <D extends Keyed>({ turn }: LoopState, delta: D): D => ({
  ...delta,
  key: `leg ${turn} ${delta.key}`,
})

/** Any other delta may end a text: text that follows under the same key may be another one. */
const uncited = (state: LoopState): LoopState => (state.cited === null ? state : { ...state, cited: null })

/** Text that begins may cite every source that was found before it. */
function applyText(state: LoopState, key: string, part: string, delta: Keyed): LoopTransition {
  if (state.sources.length === 0) return { state, outputs: [delta] }
  const textKey = `${part} ${key}`
  if (textKey === state.cited) return { state, outputs: [delta] }
  const citations = state.sources.map((source) => citeSource(source, delta.key, part))
  return { state: { ...state, cited: textKey }, outputs: [delta, ...citations] }
}

function applyCall(state: LoopState, delta: CallDelta, { tool }: LoopSettings): LoopTransition {
  if (tool === null) return { state: uncited(state), outputs: [rekeyed(state, delta)] }
  const { calls, passed } = bufferCall(state.calls, delta, tool)
  return {
    state: { ...state, calls, cited: passed.length === 0 ? state.cited : null },
    outputs: passed.map((one) => rekeyed(state, one)),
  }
}
