import { run } from '../machine/run.ts'
import { createPrinter, printAll } from '../output/frame-printer.ts'
import type { Delta } from '../protocol/delta.ts'
import { createReducer, type PipelineOptions, targetContextOf } from './reducer.ts'

const NOTHING_USED: readonly Delta[] = [
  {
    kind: 'usage',
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 },
  },
  { kind: 'finish', reason: 'stop' },
]

/** The whole stream of a completed answer without output, for a request that only prepares a later one. */
export function emptyAnswer(options: PipelineOptions): Uint8Array {
  const events = run(createReducer(options), NOTHING_USED)
  return printAll(createPrinter(), run(options.target.stream(targetContextOf(options), false), events))
}
