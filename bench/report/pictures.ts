import { median } from '../measure.ts'
import { peerCases } from '../peers/candidates.ts'
import { caseName, WIRE_NAMES } from '../pipeline/cases.ts'
import { TARGET_NAMES } from '../pipeline/targets.ts'
import type { PartResults, Results } from '../results.ts'
import { type Bar, drawBars } from './bar-chart.ts'
import { majorsOf, nodeName } from './tables.ts'

/** Returns no bar for a case that was not measured. */
function barOf(results: PartResults, major: string, name: string, label: string, series: number): readonly Bar[] {
  const values = results[major]?.figures[name]?.values ?? []
  if (values.length === 0) return []
  return [{ label, series, value: median(values), lowest: Math.min(...values), highest: Math.max(...values) }]
}

/** How many times as fast as each peer, for each version of Node. */
export function peerChart(results: Results): string {
  const all = [results.peers ?? {}, results['server-peers'] ?? {}]
  const majors = majorsOf(Object.assign({}, ...all) as PartResults)
  return drawBars({
    title: 'How many times as fast as each peer millrace is (dashed line: equal)',
    series: majors.map(nodeName),
    groups: peerCases().map(({ label, name }) => ({
      label,
      bars: all.flatMap((part) => majors.flatMap((major, n) => barOf(part, major, name, label, n))),
    })),
  })
}

/** How many times as fast as the floor, for each wire and target, with the newest measured Node. */
export function targetChart(results: Results): string {
  const own = results.texts ?? {}
  const major = majorsOf(own).at(-1) ?? ''
  return drawBars({
    title: `Text by event, times as fast as the floor (dashed line: equal), Node ${major.slice(1)}`,
    series: TARGET_NAMES,
    groups: WIRE_NAMES.map((wire) => ({
      label: wire,
      bars: TARGET_NAMES.flatMap((target, n) =>
        barOf(own, major, caseName({ wire, kind: 'text', target }, 'event'), target, n),
      ),
    })),
  })
}
