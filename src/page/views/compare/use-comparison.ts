import { useEffect, useRef, useState } from 'preact/hooks'
import type { AlignedSource } from '../../../alignment/align.ts'
import type { ComparedFrames, ComparedTarget, Comparison } from './compared.ts'
import { compareFrames, compareTarget } from './comparison.ts'

interface ComparisonState {
  readonly comparison: Comparison | null
  /** The share of the work that is done, from 0 to 1; null if none is left. */
  readonly progress: number | null
}

interface Done {
  readonly source: AlignedSource
  readonly frames: ComparedFrames
  readonly targets: Map<string, ComparedTarget>
}

/** Aligns a recording with these targets. Targets that are aligned already are not aligned again. */
export function useComparison(source: AlignedSource | null, names: readonly string[]): ComparisonState {
  const [state, setState] = useState<ComparisonState>({ comparison: null, progress: null })
  const done = useRef<Done | null>(null)
  const wanted = names.join()
  useEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    const work = async (): Promise<void> => {
      if (source === null) return setState({ comparison: null, progress: null })
      const rounds = names.length + 1
      let round = 0
      const report = (bytes: number): void =>
        setState((last) => ({ ...last, progress: (round + bytes / Math.max(1, source.bytes.length)) / rounds }))
      if (done.current?.source !== source) {
        done.current = null
        setState({ comparison: null, progress: 0 })
        done.current = { source, frames: await compareFrames(source, signal, report), targets: new Map() }
      }
      const { frames, targets } = done.current
      const show = (progress: number | null): void => {
        const made = names.flatMap((name) => targets.get(name) ?? [])
        setState({ comparison: { ...frames, targets: made }, progress })
      }
      for (const name of names) {
        round += 1
        if (targets.has(name)) continue
        const target = await compareTarget(source, name, frames, signal, report)
        if (target !== null) targets.set(name, target)
      }
      show(null)
    }
    work().catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    return () => abort.abort()
  }, [source, wanted])
  return state
}
