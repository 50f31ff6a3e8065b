import type { Part } from '../part.ts'
import { WIRE_NAMES } from '../pipeline/cases.ts'
import { gridTable } from '../report/tables.ts'
import { PARTS, type PartName, PEAK, SIZES, seriesCase, TWICE } from './series.ts'

/** The page has the clients of the Responses API only; the command measures all. */
const CLIENT = 'openai'
/** Twice, and what the noise of a shared machine adds. */
const MOST_GROWTH = 2.3

const isServer = (part: PartName): boolean => part.startsWith('server-')

const columnsOf = (part: PartName): readonly string[] => [
  ...SIZES[part].map(String),
  TWICE,
  ...(isServer(part) ? [PEAK] : []),
]

export const linearity: Part = {
  name: 'linearity',
  title: 'Large requests and answers',
  processes: 1,
  isAlone: false,
  packages: [],
  goals: [
    {
      text: `≤ ${MOST_GROWTH} × the time for twice the size`,
      isAbout: (name) => name.endsWith(`, ${TWICE}`),
      atMost: MOST_GROWTH,
    },
  ],
  jobs: () => PARTS.map((part) => ({ program: 'linearity/main.js', words: ['--json', '--quick', '--only', part] })),
  section: (results) =>
    [
      'Milliseconds of processor time by size: items of a history, or MB of images or a response; each size takes ' +
        'turns with the others. `twice the size` says how many times as long twice the size takes: about 2 is linear. `peak` is the ' +
        'memory of the server above idle, in MiB. [Large requests and answers](linearity.md) explains the parts. Lower is ' +
        'better.',
      ...PARTS.flatMap((part) => [
        `\`${part}\`:`,
        gridTable(results, 'wire', WIRE_NAMES, columnsOf(part), (wire, column) =>
          seriesCase({ part, client: CLIENT, wire }, column),
        ),
      ]),
    ].join('\n\n'),
}
