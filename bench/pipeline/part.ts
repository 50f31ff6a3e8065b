import type { Part } from '../part.ts'
import { gridTable } from '../report/tables.ts'
import { caseName, isText, type StreamJob, streamJobs, type Way, WIRE_NAMES, wordsOf } from './cases.ts'
import type { KINDS, Kind } from './inputs.ts'
import { type BenchTargetName, TARGET_NAMES } from './targets.ts'

const ROUNDS = 7
const ROUNDS_QUICK = 5
const PACKAGES = ['eventsource-parser']

const FLOOR =
  'The floor (1) is what any translation has to do: eventsource-parser (or a split into lines, or lengths), ' +
  '`JSON.parse`, an event object, `JSON.stringify` and UTF-8, one event at a time, with nothing checked, opened, closed ' +
  'or collected. Floor and millrace take turns in one process for each stream and target. A figure says how many times ' +
  'as fast as the floor millrace is, in processor time: higher is better. Before it counts, the output must be well-formed and ' +
  'contain the text of the floor. The floor lives in other parts of the processor than the templates of millrace: host ' +
  'and load move these figures by a third, and no goal stands on them.'

const jobsOf = (isMeasured: (job: StreamJob) => boolean) => (isQuick: boolean) =>
  streamJobs(true)
    .filter(isMeasured)
    .map((job) => ({ program: 'pipeline/stream.js', words: wordsOf(job, isQuick ? ROUNDS_QUICK : ROUNDS) }))

const textCase =
  (way: Way) =>
  (wire: string, target: string): string =>
    caseName({ wire: wire as StreamJob['wire'], kind: 'text', target: target as BenchTargetName }, way)

const COALESCED = 'openai, coalesced'

export const texts: Part = {
  name: 'texts',
  title: 'Texts, for every target',
  processes: 3,
  isAlone: false,
  packages: PACKAGES,
  goals: [],
  jobs: jobsOf(isText),
  section: (results) =>
    [
      FLOOR,
      'A row is the protocol that the upstream speaks, a column what millrace writes: the dialects `beta` and `openai`, or ' +
        'the protocol of another client. The input is 3,000 chunks with text. Each read is one event:',
      '![Bars: how many times as fast as the floor, for every wire and target](assets/benchmark-targets.svg)',
      gridTable(results, 'wire', WIRE_NAMES, TARGET_NAMES, textCase('event')),
      'The same streams in reads of 16 KiB; `coalesced` joins the deltas of a read to one event:',
      gridTable(results, 'wire', WIRE_NAMES, [...TARGET_NAMES, COALESCED], (wire, target) =>
        target === COALESCED ? textCase('16 KiB, coalesced')(wire, 'openai') : textCase('16 KiB')(wire, target),
      ),
      'Dialects repeat the whole text in their last events, clients of other wires do not. Each message of ' +
        '`bedrock-converse` has two checksums, which the floor does not check.',
    ].join('\n\n'),
}

const CONTENTS: Readonly<Record<Exclude<(typeof KINDS)[number], 'text'>, string>> = {
  reasoning: 'chunks of reasoning',
  arguments: 'chunks of call arguments (Ollama sends a call in one chunk)',
  nonce: 'text, and in each chunk an unknown field with other numbers',
  random: 'that field also has one of sixteen names, at random',
  short: '100 chunks with text, so that beginning and end of an answer weigh more',
}
const CONTENT_NAMES = Object.keys(CONTENTS)
/** The other dialect writes the same events but for names. */
const CONTENTS_TARGET = 'openai'

export const contents: Part = {
  name: 'contents',
  title: 'Other contents',
  processes: 3,
  isAlone: false,
  packages: PACKAGES,
  goals: [],
  jobs: jobsOf((job) => !isText(job) && job.target === CONTENTS_TARGET),
  section: (results) =>
    [
      `As above, one event a read, for the dialect \`${CONTENTS_TARGET}\`:`,
      Object.entries(CONTENTS)
        .map(([kind, text]) => `- ${kind}: ${text}`)
        .join('\n'),
      gridTable(results, 'wire', WIRE_NAMES, CONTENT_NAMES, (wire, kind) =>
        caseName({ wire: wire as StreamJob['wire'], kind: kind as Kind, target: CONTENTS_TARGET }, 'event'),
      ),
    ].join('\n\n'),
}
