/** A picture of horizontal bars, as SVG. It has a background of its own, and colours for light and for dark screens. */

export interface Bar {
  readonly label: string
  /** The index of its series. */
  readonly series: number
  readonly value: number
  readonly lowest: number
  readonly highest: number
}

export interface BarGroup {
  readonly label: string
  readonly bars: readonly Bar[]
}

export interface BarChart {
  readonly title: string
  readonly series: readonly string[]
  readonly groups: readonly BarGroup[]
}

const WIDTH = 820
const LEFT = 280
const RIGHT = 60
const MARGIN = 16
const TOP = 64
const BAR = 13
const GAP = 16
const TICKS = 5

/** Colours that readers with colour blindness can tell apart (Okabe and Ito). */
const COLOURS = ['#0072b2', '#e69f00', '#009e73', '#d55e00', '#cc79a7', '#56b4e9']

const STYLE = [
  'text{font:12px system-ui,sans-serif;fill:#1f2328}',
  '.title{font-size:14px;font-weight:600}',
  '.back{fill:#fff}',
  '.line{stroke:#d0d7de}',
  '.even{stroke:#1f2328;stroke-dasharray:3 3}',
  '.spread{stroke:#1f2328;stroke-width:1.5}',
  '@media(prefers-color-scheme:dark){text{fill:#e6edf3}.back{fill:#0d1117}.line{stroke:#30363d}.even,.spread{stroke:#e6edf3}}',
].join('')

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const text = (x: number, y: number, content: string, more = ''): string =>
  `<text x="${round(x)}" y="${round(y)}"${more}>${escaped(content)}</text>`

const line = (x1: number, y1: number, x2: number, y2: number, kind: string): string =>
  `<line class="${kind}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`

const round = (value: number): number => Math.round(value * 10) / 10

/** The smallest of 1, 2 and 5, times a power of ten, with which the axis has few lines. */
function stepOf(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most / TICKS))
  return power * ([1, 2, 5].find((factor) => factor * power * TICKS >= most) ?? 10)
}

function legend(series: readonly string[]): string {
  let x = MARGIN
  return series
    .map((name, n) => {
      const at = x
      x += 32 + name.length * 7
      return `<rect x="${at}" y="36" width="12" height="12" fill="${COLOURS[n % COLOURS.length]}"/>${text(at + 17, 46, name)}`
    })
    .join('')
}

export function drawBars({ title, series, groups }: BarChart): string {
  const most = Math.max(1, ...groups.flatMap(({ bars }) => bars.map(({ highest }) => highest)))
  const toX = (value: number): number => LEFT + (value / most) * (WIDTH - LEFT - RIGHT)
  const parts: string[] = []
  let y = TOP
  for (const { label, bars } of groups) {
    parts.push(text(LEFT - 10, y + (bars.length * BAR) / 2 + 4, label, ' text-anchor="end"'))
    for (const { series: colour, value, lowest, highest } of bars) {
      const width = round(toX(value) - LEFT)
      parts.push(`<rect x="${LEFT}" y="${y + 1}" width="${width}" height="${BAR - 2}" fill="${COLOURS[colour]}"/>`)
      if (highest > lowest) parts.push(line(toX(lowest), y + BAR / 2, toX(highest), y + BAR / 2, 'spread'))
      parts.push(text(toX(highest) + 5, y + BAR - 2, value.toFixed(1)))
      y += BAR
    }
    y += GAP
  }
  const step = stepOf(most)
  const axis = Array.from({ length: Math.floor(most / step) + 1 }, (_, n) => Number((n * step).toPrecision(3))).map(
    (value) => line(toX(value), TOP - 6, toX(value), y - GAP, 'line') + text(toX(value) - 4, y + 4, String(value)),
  )
  const even = line(toX(1), TOP - 6, toX(1), y - GAP, 'even')
  const height = y + 16
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title><style>${STYLE}</style>`,
    `<rect class="back" width="${WIDTH}" height="${height}" rx="8"/>`,
    text(MARGIN, 22, title, ' class="title"'),
    legend(series),
    ...axis,
    ...parts,
    even,
    '</svg>\n',
  ].join('\n')
}
