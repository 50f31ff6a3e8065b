import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { metricTable } from '../../docs/sections/server.ts'

/** What Grafana needs of a dashboard's JSON model (https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/). */
const PLACE = z.strictObject({ h: z.int().min(1), w: z.int().min(1).max(24), x: z.int().min(0), y: z.int().min(0) })
const SOURCE = z.strictObject({ type: z.literal('prometheus'), uid: z.literal(`\${datasource}`) })
const ROW = z.looseObject({ type: z.literal('row'), id: z.int(), title: z.string(), gridPos: PLACE })
const TARGET = z.strictObject({ refId: z.string(), datasource: SOURCE, expr: z.string(), legendFormat: z.string() })
const SERIES = z.looseObject({
  type: z.literal('timeseries'),
  id: z.int(),
  title: z.string(),
  description: z.string(),
  datasource: SOURCE,
  gridPos: PLACE,
  fieldConfig: z.looseObject({ defaults: z.looseObject({ unit: z.string() }) }),
  targets: z.array(TARGET).min(1),
})
const VARIABLE = z.looseObject({ name: z.string(), type: z.enum(['datasource', 'query']) })
const DASHBOARD = z.looseObject({
  title: z.string(),
  uid: z.string(),
  schemaVersion: z.int().min(30),
  time: z.strictObject({ from: z.string(), to: z.string() }),
  templating: z.strictObject({ list: z.array(VARIABLE) }),
  panels: z.array(z.discriminatedUnion('type', [ROW, SERIES])),
})

const dashboard = DASHBOARD.parse(
  JSON.parse(readFileSync(new URL('../../examples/deploy/grafana-dashboard.json', import.meta.url), 'utf8')),
)
const series = dashboard.panels.flatMap((panel) => (panel.type === 'timeseries' ? [panel] : []))
const expressions = series.flatMap(({ targets }) => targets.map(({ expr }) => expr))

const METRIC = /\b(?:millrace|process|nodejs)_\w+/g

/** The metrics of the server with their labels, and the names of the series of histograms. */
async function knownMetrics(): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = [...(await metricTable()).matchAll(/^\| `(\w+)` \| (\w+) \| ([^|]*)\|/gm)]
  return new Map(
    rows.map(([, name = '', type = '', labels = '']): [string, readonly string[]] => {
      const own = labels.match(/\w+/g) ?? []
      return type === 'histogram' ? [`${name}_bucket`, [...own, 'le']] : [name, own]
    }),
  )
}

describe('the dashboard for Grafana', () => {
  it('uses metrics of the server only, with labels that they have', async () => {
    const known = await knownMetrics()
    const used = new Set(JSON.stringify(dashboard).match(METRIC))
    expect([...used].filter((name) => !known.has(name))).toEqual([])
    expect(used.size).toBeGreaterThan(20)
    for (const { targets } of series) {
      for (const { expr, legendFormat } of targets) {
        const labels = ['job', 'instance', ...(expr.match(METRIC) ?? []).flatMap((name) => known.get(name) ?? [])]
        const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, by = '']) => by.split(', '))
        const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
        expect(labels, expr).toEqual(expect.arrayContaining([...grouped, ...shown]))
        if (grouped.length > 0) expect(grouped, legendFormat).toEqual(expect.arrayContaining(shown))
      }
    }
  })

  it('selects by its variables, and takes the rate of every counter', async () => {
    const names = dashboard.templating.list.map(({ name }) => name)
    const used = new Set(
      JSON.stringify(dashboard.panels)
        .match(/\$(?!_)\{?\w+/g)
        ?.map((text) => text.replace(/\W/g, '')),
    )
    expect([...used].sort()).toEqual([...names].sort())
    for (const expr of expressions) {
      const selectors = expr.match(/\{[^}]*\}/g) ?? []
      expect(selectors).toEqual(selectors.map(() => '{job=~"$job",instance=~"$instance"}'))
      for (const counter of expr.match(/\w+_(?:total|bucket)\{/g) ?? []) expect(expr).toContain(`rate(${counter}`)
      expect(expr.split('(').length).toBe(expr.split(')').length)
    }
  })

  it('has panels that do not overlap, with ids of their own', () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: h * w }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    const ids = dashboard.panels.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { targets } of series) {
      const refs = targets.map(({ refId }) => refId)
      expect(new Set(refs).size).toBe(refs.length)
    }
  })
})
