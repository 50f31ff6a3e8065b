import { openFastPath } from '../fast-path/open-fast-path.ts'
import { run } from '../machine/run.ts'
import { createPrinter, printAll } from '../output/frame-printer.ts'
import type { Delta } from '../protocol/delta.ts'
import { CITATIONS } from '../responses/apply-citations.ts'
import { HOSTED_ITEMS } from '../responses/hosted-tools.ts'
import type { Translation, TranslationOptions, TurnAnswer } from './answer.ts'
import { StreamAnswer } from './answer-driver.ts'
import { IN_SLICES } from './in-slices.ts'
import type { Outcome } from './outcome.ts'
import { createReducer, type PipelineOptions, targetContextOf, withEndTime } from './reducer.ts'
import { type TurnMachine, TurnStage } from './turns.ts'

/** Translates one stream: upstream bytes → the bytes of the target. */
export const createTranslation = (options: TranslationOptions): Translation =>
  new StreamAnswer(options.inSlices === undefined ? { ...options, inSlices: IN_SLICES } : options, openFastPath)

/** As `createTranslation`, for an answer that is made from several upstream answers. */
export const createTurnTranslation = <Input, Command>(
  options: TranslationOptions,
  turns: TurnMachine<Input, Command>,
): TurnAnswer<Uint8Array, Input, Command> =>
  new StreamAnswer(
    { inSlices: IN_SLICES, citations: CITATIONS, hosted: HOSTED_ITEMS, ...options },
    openFastPath,
    new TurnStage(turns),
  )

/** Translates a whole upstream body to a stream, for a client that requested a stream. */
export function streamWholeBody(options: TranslationOptions, body: string): { bytes: Uint8Array; outcome: Outcome } {
  const { slice: _, ...whole } = options
  const translation = createTranslation({ ...whole, lend: false })
  return { bytes: translation.push({ body }), outcome: translation.outcome() }
}

const NOTHING_USED: readonly Delta[] = [
  {
    kind: 'usage',
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 },
  },
  { kind: 'finish', reason: 'stop' },
]

/** The whole stream of a completed answer without output, for a request that only prepares a later one. */
export function emptyAnswer(options: PipelineOptions): Uint8Array {
  const events = withEndTime(run(createReducer(options), NOTHING_USED), options.now)
  return printAll(createPrinter(), run(options.target.stream(targetContextOf(options), false), events))
}
