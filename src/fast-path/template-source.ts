import { LearningBackoff } from './backoff.ts'
import { type ChunkTemplate, isStillValid, learn, type StepResult } from './chunk-template.ts'
import { type KeptShape, recall, toKeptShape } from './kept-shape.ts'
import { type KeptShapes, keptShapes } from './kept-shapes.ts'
import type { FastPathOptions } from './options.ts'
import { hasTextField, type PatternWidth } from './patterns/pattern.ts'
import type { Position, SlowPath } from './slow-path.ts'
import { scanAt } from './state-diff.ts'

/** The cost of recalling a template, in chunks on the slow path: the lowest of all wires. */
const RECALL_COST = 4

/** Finds the templates of one stream: recalls them from the shapes of earlier streams, or learns them. */
export class TemplateSource {
  template: ChunkTemplate | null = null
  private readonly slow: SlowPath
  private readonly options: FastPathOptions
  private readonly backoff: LearningBackoff
  // The chunks of the present text before its template was recalled.
  private before = 0
  // The shape that the template was recalled from; null if this stream has learned the template.
  private recalled: KeptShape | null = null
  private readonly kept: KeptShapes | null
  private recalls = true
  // The changes that a template allows although two chunks do not show them.
  private width: PatternWidth = 'narrow'

  constructor(slow: SlowPath, options: FastPathOptions) {
    this.slow = slow
    this.options = options
    // Found here, because a server opens the stream while its upstream works.
    this.kept = options.decoder === null ? null : keptShapes(options.decoder)
    this.backoff = new LearningBackoff(this.kept?.patience() ?? 0)
  }

  /** Returns the number of chunks for which no template is looked for. */
  wait(): number {
    return this.template === null ? this.backoff.wait : 0
  }

  /** The template has matched the first of the chunks that `gain` will record. */
  begin(): void {
    this.backoff.forget()
  }

  /** Records a number of chunks that the template has matched. */
  gain(chunks: number): void {
    this.backoff.worth += chunks
  }

  /** Records a number of chunks that were not observed. */
  miss(chunks: number): void {
    this.backoff.miss(chunks, this.slow.position().responseState.active)
  }

  drop(): void {
    const { backoff } = this
    if (this.recalled === null) backoff.fail()
    else {
      this.kept?.noteText(this.before + backoff.worth)
      backoff.fail(RECALL_COST)
    }
    this.template = null
    this.recalled = null
  }

  /** No chunk follows. */
  end(): void {
    if (this.template !== null) this.drop()
  }

  /** Records a chunk that was changed before it was passed on, so that no chunk like it is proved. */
  refuse(): void {
    if (this.template === null) this.drop()
    else this.verify()
  }

  /** Drops the template if it is not valid in the present states of the machines. */
  verify(): void {
    if (this.template !== null && !isStillValid(this.template, this.slow.position())) this.drop()
  }

  /**
   * Observes a chunk that the machines have processed, which may give a template. `hits`: how many chunks the template
   * has matched since the last one that it did not match.
   */
  observe(result: StepResult, progressed: boolean, hits: number): void {
    // Two chunks in a row that have an effect but do not match show that the template is useless. A recalled one has to
    // match as many as it has cost: learned from this stream, it would allow what changes in it.
    const least = this.recalled === null ? 1 : RECALL_COST
    const { slow, backoff } = this
    const after = slow.position()
    const scan = this.template?.scan ?? null
    // The chunk ends the JSON value of the template, so that none like it follows.
    const ends = scan !== null && scanAt(after.upstream, scan) === 0
    if (this.template !== null && progressed && hits < least) this.refute(hits)
    else if (ends) this.drop()
    else this.verify()
    if (!progressed) return
    const { data } = result.frame
    const chunk = hasTextField(data, this.options.leaves) ? data : ''
    const earlier = backoff.observe(chunk, after.responseState.active, hits > 0)
    if (this.template !== null || ends || chunk === '' || backoff.wait > 0) return
    this.template = this.recall(after, result)
    if (this.template === null && earlier !== '') this.template = this.learn(after, result, earlier)
  }

  /** Drops a template that is useless. The next one is wider; after a recalled one, this stream is like no earlier one. */
  private refute(hits: number): void {
    if (this.recalled === null) {
      this.width = this.width === 'narrow' ? 'values' : 'members'
      this.drop()
      return
    }
    if (hits === 0) this.kept?.drop(this.recalled)
    this.recalls = false
    this.template = null
    this.recalled = null
  }

  /** Returns the template of the chunk that an earlier stream has shown; null if there is none. */
  private recall(after: Position, result: StepResult): ChunkTemplate | null {
    const { kept } = this
    // A stream that needs a wider pattern than its first one is not like those that have kept their shapes.
    if (kept === null || !this.recalls || this.width !== 'narrow') return null
    for (const shape of kept.all()) {
      const template = recall(shape, this.slow, after, result, this.options)
      if (template === null) continue
      kept.use(shape)
      this.recalled = shape
      this.before = this.backoff.length
      this.backoff.worth = 0
      return template
    }
    return null
  }

  private learn(after: Position, result: StepResult, earlier: string): ChunkTemplate | null {
    const { slow, backoff, kept, options } = this
    const learned = learn(slow, after, result, earlier, options, this.width)
    backoff.worth = 0
    if (learned === null) {
      this.drop()
      return null
    }
    const shape = kept?.wantsMore() === true ? toKeptShape(slow.decode, result.frame, learned) : null
    if (shape !== null) kept?.add(shape)
    return learned.template
  }
}
