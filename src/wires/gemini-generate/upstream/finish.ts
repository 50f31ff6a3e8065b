import { listToArray } from '../../../collections/list.ts'
import { mapGet, mapSet } from '../../../collections/sorted-map.ts'
import type { Delta } from '../../../protocol/delta.ts'
import { upstreamError } from '../../../protocol/error.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { isObject, scalarToString } from '../../../text/json.ts'
import { finishReasonOf, shortWord } from '../../shared/upstream/answers/finish-reasons.ts'
import { type Deltas, emitLoss, emitWords } from '../../shared/upstream/deltas.ts'
import { FINISH_REASONS } from '../terms.ts'
import { endCalls, endRun, sealParts } from './content.ts'
import { placeRest } from './grounding.ts'
import { searchItem } from './server-tools.ts'
import { type DecoderProgress, type GeminiState, updateProgress } from './state.ts'

/** Emits the loss of a finish reason that is unknown, or that names no cause. */
export function emitFinishLoss(word: string, deltas: Deltas): void {
  if (finishReasonOf(FINISH_REASONS, word) === undefined || word === 'OTHER')
    emitLoss(`finishReason ${shortWord(word)}`, deltas)
}

/** Returns the deltas that are still to be emitted when the stream ends. `isCut`: a part that its client reads has no end. */
export function finish(state: GeminiState, isCut: boolean): readonly Delta[] {
  const deltas: Delta[] = []
  const { progress } = state
  const done = isCut ? null : finishOf(progress)
  const called = endCalls(state, done?.kind === 'finish' && done.reason === 'stop', deltas)
  // All citations have arrived. The texts close now, before their signatures are emitted.
  placeRest(called, deltas)
  if (progress.grounded) {
    const open = progress.run?.kind === 'text' ? [progress.run.key] : []
    for (const key of [...listToArray(progress.texts).map((it) => it.key), ...open]) deltas.push({ kind: 'stop', key })
  }
  sealParts(endRun(called, deltas), deltas)
  for (const item of listToArray(progress.later)) deltas.push(item)
  const { queries, sources } = progress.search
  if (queries.length > 0 && !progress.searched) {
    deltas.push({ kind: 'hosted', key: 'search', item: searchItem(queries, sources), done: true })
  }
  if (done?.kind === 'finish' && progress.finishMessage !== '') emitLoss('finishMessage', deltas)
  emitWords({ finishReason: shortWord(progress.finish) }, deltas)
  if (done !== null) deltas.push(done)
  return deltas
}

/** Returns how the answer ended, by the last finish reason; null if there was none, nor another sign of the end. */
function finishOf({ finish: word, finishMessage, blocked, hasContent, ended, noise }: DecoderProgress): Delta | null {
  if (word === '') {
    if (blocked) return { kind: 'finish', reason: 'content_filter' }
    return ended && hasContent && noise === 0 ? { kind: 'finish', reason: 'stop' } : null
  }
  const known = finishReasonOf(FINISH_REASONS, word)
  const isEmpty = !hasContent && (known === undefined || word === 'OTHER')
  const reason = isEmpty ? null : known === undefined ? 'stop' : known
  if (reason !== null) return { kind: 'finish', reason }
  const message = finishMessage === '' ? `The upstream stopped with "${word}".` : finishMessage
  return { kind: 'error', error: upstreamError('server_error', message) }
}

export function hasFinish({ finishReason }: JsonRecord): boolean {
  const finish = scalarToString(finishReason)
  return finish !== '' && finish !== '0' && finish !== 'FINISH_REASON_UNSPECIFIED'
}

// ---------------------------------------------------------------- further candidates

/** Whether a client that reads all candidates still waits for one. */
export const hasOpenCandidates = ({ openCandidates, ended }: DecoderProgress): boolean => openCandidates > 0 && !ended

/** Notes whether a candidate beside the first one has ended. */
export function withCandidate(state: GeminiState, candidate: JsonRecord): GeminiState {
  if (!isObject(candidate.content) && !hasFinish(candidate)) return state
  const { candidates, openCandidates } = state.progress
  const index = scalarToString(candidate.index)
  const known = mapGet(candidates, index)
  const hasEnded = known === true || hasFinish(candidate)
  if (hasEnded === known) return state
  const opened = Number(!hasEnded) - Number(known === false)
  return updateProgress(state, {
    candidates: mapSet(candidates, index, hasEnded),
    openCandidates: openCandidates + opened,
  })
}
