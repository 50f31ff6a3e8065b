import { PARTS, type PartName, type Series } from './series.ts'

/** Draws time against size, one panel a part and one line a wire. The colours can be told apart on light and on dark. */

const TITLES: Readonly<Record<PartName, readonly [title: string, unit: string]>> = {
  histories: ['Request: history', 'items'],
  images: ['Request: images', 'MB'],
  answers: ['Whole answer', 'MB'],
  'server-histories': ['Server: history', 'items'],
  'server-images': ['Server: images', 'MB'],
  'server-answers': ['Server: whole answer', 'MB'],
}

const COLOURS = ['#3b82f6', '#e07b1a', '#16a34a', '#d6406f', '#8b5cf6', '#0d9da8', '#a3851a'] as const

const PANEL = { width: 300, height: 230 }
const PLOT = { left: 46, top: 34, width: 236, height: 150 }
const COLUMNS = 3
const LEGEND = 34

const STYLE = `text{font:11px system-ui,sans-serif;fill:#1f2937}.axis{stroke:#9ca3af;stroke-width:1}.grid{stroke:#9ca3af;stroke-opacity:.3}
@media (prefers-color-scheme:dark){text{fill:#e5e7eb}}`

const fixed = (value: number): string => value.toFixed(1)

const STEPS = [1, 2, 3, 4, 6, 8] as const

/** The smallest of these steps times a power of ten that is not below the value. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return (STEPS.find((step) => step * power >= value) ?? 10) * power
}

const label = (x: number, y: number, text: string, anchor = 'middle'): string =>
  `<text x="${fixed(x)}" y="${fixed(y)}" text-anchor="${anchor}">${text}</text>`

function panel(part: PartName, series: readonly Series[], colourOf: (wire: string) => string): string {
  const [title, unit] = TITLES[part]
  const { left, top, width, height } = PLOT
  const most = roundUp(Math.max(...series.flatMap(({ ms }) => ms)))
  const { sizes } = series[0] as Series
  const last = sizes.at(-1) as number
  const x = (size: number): number => left + (size / last) * width
  const y = (ms: number): number => top + height - (ms / most) * height
  const ticks = [0, most / 2, most].map(
    (ms) =>
      `<line class="grid" x1="${left}" x2="${left + width}" y1="${fixed(y(ms))}" y2="${fixed(y(ms))}"/>${label(left - 6, y(ms) + 4, String(ms), 'end')}`,
  )
  // The smallest sizes stand too close together for labels.
  const marks = sizes.slice(-3).map((size) => label(x(size), top + height + 18, `${size.toLocaleString('en')}`))
  const lines = series.map(({ wire, ms }) => {
    const points = sizes.map((size, at) => `${fixed(x(size))},${fixed(y(ms[at] as number))}`).join(' ')
    return `<polyline points="${points}" fill="none" stroke="${colourOf(wire)}" stroke-width="2"/>`
  })
  return [
    label(left, top - 14, `${title} (ms, ${unit})`, 'start'),
    ...ticks,
    ...marks,
    `<line class="axis" x1="${left}" x2="${left + width}" y1="${top + height}" y2="${top + height}"/>`,
    ...lines,
  ].join('\n')
}

/** Returns an SVG of the series of the dialect `openai`: panels in the order of the parts, three in a row. */
export function drawSeries(all: readonly Series[]): string {
  const drawn = all.filter(({ client }) => client === 'openai')
  const parts = PARTS.filter((part) => drawn.some((one) => one.part === part))
  const wires = [...new Set(drawn.map(({ wire }) => wire))]
  const colourOf = (wire: string): string => COLOURS[wires.indexOf(wire) % COLOURS.length] as string
  const width = PANEL.width * Math.min(COLUMNS, parts.length)
  const height = PANEL.height * Math.ceil(parts.length / COLUMNS) + LEGEND
  const panels = parts.map((part, at) => {
    const place = `translate(${(at % COLUMNS) * PANEL.width} ${LEGEND + Math.floor(at / COLUMNS) * PANEL.height})`
    return `<g transform="${place}">\n${panel(
      part,
      drawn.filter((one) => one.part === part),
      colourOf,
    )}\n</g>`
  })
  const entry = width / wires.length
  const legend = wires.map(
    (wire, at) =>
      `<rect x="${fixed(at * entry + 8)}" y="12" width="10" height="10" fill="${colourOf(wire)}"/>${label(at * entry + 22, 21, wire, 'start')}`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Processor time against size">
<style>${STYLE}</style>
${[...legend, ...panels].join('\n')}
</svg>
`
}
