import { NOTHING } from '../../machine/machine.ts'
import type { CallDelta, Delta } from '../../protocol/delta.ts'
import { citeSource } from '../prompt.ts'
import { holdCall } from './buffered-calls.ts'
import type { LoopSettings, Plot, Told } from './state.ts'
import { addUsage } from './turn-history.ts'

/** Decodes a delta of the open turn into outputs of the loop. */
export function hearDelta(plot: Plot, delta: Delta, settings: LoopSettings): Told {
  switch (delta.kind) {
    case 'text':
      return hearText(plot, delta.key, delta.part, rekeyed(plot, delta))
    case 'call':
      return hearCall(plot, delta, settings)
    case 'usage':
      return {
        plot: { ...plot, usage: delta.usage },
        said: [{ kind: 'usage', usage: addUsage(plot.used, delta.usage) }],
      }
    case 'finish':
      return { plot: { ...plot, finish: delta.reason }, said: NOTHING }
    case 'start':
    case 'error':
    case 'cut':
    case 'loss':
      return { plot, said: [delta] }
    case 'citation':
      return { plot, said: [rekeyed(plot, delta)] }
    default:
      return { plot: uncited(plot), said: [rekeyed(plot, delta)] }
  }
}

type Keyed = Extract<Delta, { readonly key: string }>

/** Upstreams use the same keys in every answer, so each turn gets a prefix. */
export const rekeyed = <D extends Keyed>({ leg }: Plot, delta: D): D => ({ ...delta, key: `leg ${leg} ${delta.key}` })

/** Any other delta may end a text: text that follows under the same key may be another one. */
const uncited = (plot: Plot): Plot => (plot.cited === null ? plot : { ...plot, cited: null })

/** Text that begins may cite every source that was found before it. */
function hearText(plot: Plot, key: string, part: string, delta: Keyed): Told {
  if (plot.sources.length === 0) return { plot, said: [delta] }
  const place = `${part} ${key}`
  if (place === plot.cited) return { plot, said: [delta] }
  const citations = plot.sources.map((source) => citeSource(source, delta.key, part))
  return { plot: { ...plot, cited: place }, said: [delta, ...citations] }
}

function hearCall(plot: Plot, delta: CallDelta, { tool }: LoopSettings): Told {
  if (tool === null) return { plot: uncited(plot), said: [rekeyed(plot, delta)] }
  const { calls, passed } = holdCall(plot.calls, delta, tool)
  return {
    plot: { ...plot, calls, cited: passed.length === 0 ? plot.cited : null },
    said: passed.map((one) => rekeyed(plot, one)),
  }
}
