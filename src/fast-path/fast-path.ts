import type { Boundary } from '../framing/boundary.ts'
import { addBytes, bufferText } from '../output/escaped-buffer.ts'
import { addJson, type CachedText, collectedLength, setText } from '../output/escaped-text-cache.ts'
import type { Printer } from '../output/frame-printer.ts'
import { foundText, outputBuffer, readMemory } from '../output/scratch.ts'
import { liveLength, liveText, withWholeText } from '../responses/parts.ts'
import type { ActivePart } from '../responses/state.ts'
import { copied, joined } from '../text/bytes.ts'
import { decodeUtf8 } from '../text/utf8.ts'
import type { ChunkTemplate } from './chunk-template.ts'
import { LastChunk } from './last-chunk.ts'
import { NestedText } from './nested-text.ts'
import { boundaryEnd } from './next-boundary.ts'
import { type FastPathOptions, LONGEST_CARRY, type PassedChunks, PIECE } from './options.ts'
import { load, match, writeFound } from './patterns/match-bytes.ts'
import { TOO_SHORT } from './patterns/scan-bytes.ts'
import { advance } from './prove-template.ts'
import { reescape } from './reescape.ts'
import { type Position, runOne, type SlowPath } from './slow-path.ts'
import { TemplateSource } from './template-source.ts'

const NO_BYTES = new Uint8Array(0)

/** In bytes: a member with a quoted secret is longer. */
const SHORTEST_SECRET = 8

/**
 * The fast path of one stream. The machines are synchronised with the chunks that it has written before they process
 * anything again. A class, because closures would be additional objects of every stream.
 */
export class FastPath {
  private readonly slow: SlowPath
  private readonly printer: Printer
  private readonly coalesce: boolean
  private readonly boundary: Boundary
  private readonly limit: number
  private readonly longestCarry: number
  private readonly mostText: number
  private readonly source: TemplateSource
  private readonly passed: PassedChunks | null
  // The chunks that the machines do not have yet: how many there are, their text, how much of that text the machines
  // have, whether the rest has escapes, and the number of the next frame.
  private frames = 0
  private run: CachedText | null = null
  /** The part whose text the run is. */
  private part: ActivePart | null = null
  private syncedLength = 0
  private escaped = false
  /** The scan of the JSON value that the text must stay in, for a template that has one. */
  private readonly nested = new NestedText()
  private sequence = 0
  // Null until a template has found a chunk that the machines must process themselves.
  private last: LastChunk | null = null
  // The beginning of a chunk that may match once it is complete.
  private carry: Uint8Array = NO_BYTES
  // The bytes after it, which arrived when the slice of work was used up.
  private rest: Uint8Array = NO_BYTES
  // Whether the next byte begins a frame.
  private idle: boolean
  // Whether it is decided that messages of this stream end as the boundary declares.
  private started = false
  // They do not, or are too large: the machines process all bytes as they arrive.
  private disabled = false
  // Whether each small read that was processed whole has contained one chunk so far.
  private onePerRead = true
  // How many chunks the template has matched since one did not match.
  private hits = 0
  private before = 0

  constructor(slow: SlowPath, options: FastPathOptions) {
    this.slow = slow
    this.printer = options.printer
    this.coalesce = options.coalesce
    this.boundary = options.boundary
    this.limit = options.limit
    this.mostText = options.mostText
    this.source = new TemplateSource(slow, options)
    this.passed = options.passed
    this.longestCarry = Math.min(LONGEST_CARRY, options.limit)
    this.idle = true
  }

  /** Processes what the slice of work allows, first the bytes that an earlier slice left. `bytes` may be empty. */
  process(bytes: Uint8Array): void {
    if (this.rest.length === 0 && bytes.length <= PIECE) this.processPiece(bytes)
    else this.processPieces(bytes)
  }

  private processPieces(bytes: Uint8Array): void {
    const all = this.waits() ? joined(this.rest, bytes) : bytes
    this.rest = NO_BYTES
    let at = 0
    for (; at < all.length && !this.slow.sliceOver() && !this.slow.turnOver(); at += PIECE)
      this.processPiece(all.subarray(at, at + PIECE))
    if (at < all.length) this.rest = joined(this.rest, all.subarray(at))
  }

  waits(): boolean {
    return this.rest.length > 0
  }

  /** The text that the machines do not have yet, in bytes. */
  waitingText(): number {
    return this.run === null || this.frames === 0 ? 0 : this.run.words.length - this.syncedLength
  }

  /** Synchronises the machines with the fast path, before their states are used. Held-back bytes stay. */
  syncMachines(): void {
    const { run, frames } = this
    const { template } = this.source
    if (frames === 0 || template === null || run === null) return
    const { coalesce, printer } = this
    const { moves, counts, scan } = template
    const { words } = run
    const known = counts && this.last !== null ? this.last.words : words.length
    const text = bufferText(words, this.syncedLength, known, this.escaped)
    const advanced = advance(this.slow.position(), moves, text, counts || scan === null ? null : this.nested.scan)
    const { upstream, writerState, ...after } = counts ? this.processLast(advanced, template) : advanced
    const responseState = withWholeText(after.responseState)
    const open = coalesce && printer.open()
    this.slow.move({ upstream, responseState, writerState: { ...writerState, sequence: this.sequence, open } })
    // Some decoders only accumulate text, which the reducer receives later.
    if (moves.text) setText(run, liveText(responseState))
    else run.kept = false
    this.hits += frames
    this.source.gain(frames)
    this.before += frames
    this.frames = 0
  }

  /** Synchronises the machines and processes all bytes that are held back, before the end. */
  flush(): void {
    const held = joined(this.release(), this.rest)
    this.rest = NO_BYTES
    if (held.length > 0) this.processSlow(held)
    this.syncMachines()
    this.source.end()
  }

  /** Returns the number of chunks that took the fast path. */
  fastCount(): number {
    return this.before + this.frames
  }

  private passing(): PassedChunks | null {
    return this.passed?.isPassed === true ? this.passed : null
  }

  /** The last chunk that took the fast path, of an answer that is passed on; empty if there is none. */
  lastChunk(): string {
    return this.last?.textBetween(0, 0) ?? ''
  }

  /** Selects the cache that holds the text of the chunks to come. */
  private selectRun({ framePrinter, moves, scan }: ChunkTemplate): CachedText {
    const { upstream, responseState } = this.slow.position()
    if (scan !== null) this.nested.begin(upstream, scan)
    const run = this.printer.textCache.runFor(framePrinter?.parts ?? moves, liveText(responseState))
    this.part = responseState.active
    this.syncedLength = run.words.length
    this.escaped = false
    this.run = run
    return run
  }

  /** Writes as many chunks as it can, from `at` on; `chunk` is loaded for `match`. Returns where it stopped. */
  private takeAll(by: ChunkTemplate, chunk: Uint8Array, at: number): number {
    const { pattern, before, framePrinter, counts, scan } = by
    const { printer, coalesce, boundary, limit } = this
    const passed = this.passing()
    const { sized, prefix, suffix } = boundary
    const run = this.frames === 0 || this.run === null ? this.selectRun(by) : this.run
    const { words } = run
    const { bytes, view, length } = readMemory
    let now = this.frames
    let lastWords = 0
    let from = at
    let start = at
    while (from < length) {
      const matched = match(pattern, from + prefix, foundText)
      const end = matched < 0 ? matched : matched + suffix
      if (end === TOO_SHORT && !sized && length - from <= this.longestCarry) this.carry = bytes.slice(from, length)
      if (end < 0 || end > length || end - from > limit || !boundary.validates(view, from, end, before)) break
      if (passed !== null && foundText.loose >= SHORTEST_SECRET && passed.quotes(decodeUtf8(bytes, from, end))) break
      const instead = foundText.wide || foundText.odd ? reescape(foundText) : ''
      if (instead === null) break
      if (scan !== null && !this.nested.take(bytes, foundText, instead)) break
      if (framePrinter !== null) {
        if (!coalesce || !printer.open()) {
          printer.frame(framePrinter, this.sequence)
          this.sequence += 1
        }
        writeFound(instead)
        if (framePrinter.between !== null) {
          outputBuffer.put(framePrinter.between)
          writeFound(instead)
        }
      }
      lastWords = words.length
      if (instead === '') addBytes(words, view, foundText.start, foundText.end)
      else addJson(run, instead)
      if (foundText.escaped) this.escaped = true
      now += 1
      start = from
      from = end
    }
    if (now > this.frames) {
      if (this.frames === 0) this.source.begin()
      this.frames = now
      if (passed !== null) outputBuffer.put(bytes.subarray(at, from))
      if (counts || passed?.isNumbered === true)
        this.keepLast(start === 0 && from === length ? chunk : chunk.subarray(start, from), lastWords)
      if (words.length - this.syncedLength > this.mostText) this.syncMachines()
    }
    return this.carry.length > 0 ? length : from
  }

  private keepLast(chunk: Uint8Array, words: number): void {
    this.last ??= new LastChunk()
    this.last.words = words
    this.last.keep(chunk)
  }

  private processLast(from: Position, { event, before, behind }: ChunkTemplate): Position {
    if (this.last === null) return from
    const data = this.last.textBetween(before, behind)
    return runOne(this.slow, from, { event, data })?.after ?? from
  }

  private processSlow(bytes: Uint8Array): void {
    this.syncMachines()
    const { slow, idle: began } = this
    const frames = slow.process(bytes)
    this.idle = this.boundary.closes(bytes)
    this.renewText()
    if (slow.busy() || slow.turnOver()) return void this.source.drop()
    const [frame] = frames
    if (frames.length > 1) this.onePerRead = false
    if (this.passing()?.isSame === false) this.source.refuse()
    else if (frames.length === 1 && frame !== undefined && began && this.idle) {
      const progressed = slow.madeProgress()
      this.source.observe({ bytes, frame }, progressed, this.hits)
      if (progressed) this.hits = 0
    } else this.source.verify()
    this.sequence = slow.position().writerState.sequence
    this.disabled ||= slow.overflowed()
  }

  /** Keeps the string of the run's text that the reducer has after a chunk on the slow path. */
  private renewText(): void {
    const { run } = this
    if (run === null || run.rest === '') return
    const position = this.slow.position()
    const { active } = position.responseState
    if (active !== this.part || liveLength(position.responseState) !== collectedLength(run)) return
    const responseState = withWholeText(position.responseState)
    this.slow.move({ ...position, responseState })
    setText(run, liveText(responseState))
  }

  private release(): Uint8Array {
    const held = this.carry
    this.carry = NO_BYTES
    return held
  }

  /** Without a template, and while none is learned, the machines process the bytes as they arrive. */
  private processUnlearned(bytes: Uint8Array): void {
    this.source.miss(this.slow.process(bytes).length)
    this.idle = this.boundary.closes(bytes)
  }

  /** Holds back the beginning of a sized message. If the message is too large, the stream leaves the fast path. */
  private keep(bytes: Uint8Array, size: number): void {
    if (size <= this.longestCarry) {
      this.carry = copied(bytes)
      return
    }
    this.disabled = true
    this.processSlow(bytes)
  }

  /** Returns whether this stream has such messages. The machines process the bytes until that is decided. */
  private isSuch(bytes: Uint8Array): boolean {
    if (!this.started) {
      const begins = this.boundary.begins(bytes)
      this.started = begins !== null
      this.disabled = begins === false
    }
    return this.started && !this.disabled
  }

  private processAll(chunk: Uint8Array): void {
    const { boundary } = this
    let at = 0
    let isLoaded = false
    while (at < chunk.length && !this.slow.turnOver()) {
      if (this.slow.sliceOver()) {
        this.rest = joined(this.rest, chunk.subarray(at))
        return
      }
      const { template } = this.source
      if (template !== null && this.idle) {
        if (!isLoaded) load(chunk)
        isLoaded = true
        at = this.takeAll(template, chunk, at)
        if (at >= chunk.length) return
      }
      const wait = this.source.wait()
      const end = boundaryEnd(boundary, chunk, at, wait, this.onePerRead)
      const isCut = end > chunk.length || end === at
      if (isCut) return void this.keep(chunk.subarray(at), boundary.end(chunk, at) - at)
      const bytes = at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end)
      if (wait > 0) this.processUnlearned(bytes)
      else this.processSlow(bytes)
      at = this.disabled ? chunk.length : end
    }
  }

  private processPiece(bytes: Uint8Array): void {
    const { boundary, carry } = this
    if (!this.isSuch(bytes)) this.slow.process(bytes)
    else if (carry.length === 0) this.processAll(bytes)
    else if (boundary.sized) this.processAll(joined(this.release(), bytes))
    else if (carry.length + bytes.length <= this.longestCarry && !boundary.mayEnd(bytes)) {
      this.carry = joined(carry, bytes)
    } else this.processWithCarry(bytes)
  }

  /** Joins only the message that was cut, and processes the rest as it arrived. */
  private processWithCarry(bytes: Uint8Array): void {
    const end = this.boundary.end(bytes, 0)
    this.processAll(joined(this.release(), bytes.subarray(0, end)))
    if (end < bytes.length) this.processPiece(bytes.subarray(end))
  }
}
