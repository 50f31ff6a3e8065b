import { openFastPath } from '../fast-path/open-fast-path.ts'
import type { Translation, TranslationOptions, TurnAnswer } from './answer.ts'
import type { Outcome } from './outcome.ts'
import { StreamTranslation } from './stream-translation.ts'
import type { TurnMachine } from './turns.ts'

/** Translates one stream: upstream bytes → the bytes of the target. */
export const createTranslation = (options: TranslationOptions): Translation =>
  new StreamTranslation(options, openFastPath)

/** As `createTranslation`, for an answer that is made from several upstream answers. */
export const createTurnTranslation = <Input, Command>(
  options: TranslationOptions,
  turns: TurnMachine<Input, Command>,
): TurnAnswer<Uint8Array, Input, Command> => new StreamTranslation(options, openFastPath, turns)

/** Translates a whole upstream body to a stream, for a client that requested a stream. */
export function streamWholeBody(options: TranslationOptions, body: string): { bytes: Uint8Array; outcome: Outcome } {
  const { slice: _, ...whole } = options
  const translation = createTranslation({ ...whole, lend: false })
  return { bytes: translation.receiveBody(body), outcome: translation.outcome() }
}
