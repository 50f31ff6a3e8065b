import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { findTarget, TARGET_NAMES } from '../alignment/named-target.ts'
import type { TranslationOptions } from '../engine/answer.ts'
import { createBodyCollector, translateWholeBody } from '../engine/body-collector.ts'
import type { Outcome } from '../engine/outcome.ts'
import { createTranslation, streamWholeBody } from '../engine/translation.ts'
import type { Head } from '../protocol/response.ts'
import { EMPTY_ECHO } from '../responses/echo.ts'
import { quirksOn, type Vendor } from '../vendors/vendor.ts'
import type { Wire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import { createFileReport } from './files/file-report.ts'
import { type InputFile, inputFiles, RECORDED } from './files/input-files.ts'
import { systemReason } from './files/read-input.ts'
import { readRecordingFile, recordingFault } from './files/recording-file.ts'
import { chooseWire, vendorRow } from './files/wire-choice.ts'
import { findNamed } from './names.ts'
import { printable } from './output/line-style.ts'
import type { Streams } from './streams.ts'

/** The options of the command; their help has the meanings. */
export interface TranslateOptions {
  readonly from?: string
  readonly to?: string
  readonly vendor?: string
  readonly collect?: boolean
  readonly pieces?: string
  readonly out?: string
  readonly strict?: boolean
}

/**
 * Translates recorded upstream bytes to files, or to the standard output. The same bytes give the same output. A
 * recording that is not a whole answer of its wire is translated as well: a cut stream has a translation like any
 * other, and the standard error names the defect and the dropped values. An error that the vendor reported is a valid
 * answer. Exit code: 2 if a file cannot be read or has no certain wire; with `strict`, 1 for a defect or a loss.
 */
export async function translateFiles(
  given: readonly string[],
  options: TranslateOptions,
  streams: Streams = process,
): Promise<number> {
  const target = findNamed('--to', options.to, TARGET_NAMES, findTarget)
  const vendor = vendorRow(options.vendor, streams)
  const choose = chooseWire(options.from, vendor)
  const size = pieceSize(options.pieces)
  const whole = options.collect === true
  const suffix = whole ? target.wholeSuffix : `${options.to}.${target.extension}`
  const files = await inputFiles('translate', given, streams, RECORDED)
  if (options.out !== undefined) {
    refuseSameNames(files, suffix)
    await createFolder(options.out)
  }
  const names = { fine: 'translated', damaged: 'damaged' }
  const report = createFileReport(streams, files.length, names, options.out === undefined)
  let code = DONE
  for (const { file, folder } of files) {
    report.start(file)
    const recording = await readRecordingFile(file, choose, streams).catch(systemReason)
    if (typeof recording === 'string') {
      report.unreadable(recording)
      code = UNREADABLE
      continue
    }
    const { name, wire, isBody, bytes } = recording
    const head = headOf(name)
    const answer = {
      wire,
      quirks: quirksOf(vendor, wire),
      head,
      now: () => head.created_at * 1000,
      target: target.target,
    }
    const { text, outcome } = isBody ? ofBody(answer, bytes, whole) : ofStream(answer, bytes, whole, size)
    if (options.out === undefined) streams.stdout.write(text)
    else await writeOutput(path.join(options.out, folder), `${name}.${suffix}`, text)
    const fault = recordingFault(outcome, recording)
    const hasLosses = outcome.losses.length > 0
    if (fault !== null) report.note(file, fault)
    if (hasLosses) report.note(file, `dropped: ${listLosses(outcome.losses)}`)
    report.end(fault === null ? 'fine' : 'damaged', hasLosses)
    if (options.strict === true && (fault !== null || hasLosses)) code = Math.max(code, DEFECT)
  }
  report.finish()
  return code
}

const DONE = 0
const DEFECT = 1
const UNREADABLE = 2

const MOST_LOSSES = 20

/** A loss may repeat an upstream's text, which may contain control characters. */
function listLosses(losses: readonly string[]): string {
  const more = losses.length > MOST_LOSSES ? ` and ${losses.length - MOST_LOSSES} more` : ''
  return printable(losses.slice(0, MOST_LOSSES).join(', ')) + more
}

/** Refuses files whose outputs would overwrite each other. Some file systems ignore case. */
function refuseSameNames(files: readonly InputFile[], suffix: string): void {
  const first = new Map<string, string>()
  for (const { file, folder } of files) {
    const target = path.join(folder, `${path.parse(file).name}.${suffix}`)
    const other = first.get(target.toLowerCase())
    if (other !== undefined)
      throw new Error(`${other} and ${file} would both be written to ${target}. Translate them in separate runs`)
    first.set(target.toLowerCase(), file)
  }
}

async function createFolder(out: string): Promise<void> {
  if (out === '') throw new Error('--out: expected the name of a folder, got "".')
  try {
    await mkdir(out, { recursive: true })
  } catch (error) {
    throw new Error(`--out: "${out}" cannot be created: ${systemReason(error)}.`)
  }
}

async function writeOutput(out: string, name: string, text: string): Promise<void> {
  try {
    await mkdir(out, { recursive: true })
    await writeFile(path.join(out, name), text)
  } catch (error) {
    throw new Error(`--out: "${path.join(out, name)}" cannot be written: ${systemReason(error)}.`)
  }
}

/** Recordings of unknown vendors are translated without quirks. */
export const quirksOf = (vendor: Vendor | undefined, { name }: Wire): Quirks =>
  vendor === undefined ? {} : quirksOn(vendor, name)

function pieceSize(pieces: string | undefined): number {
  const size = pieces === undefined ? 16 * 1024 : Number(pieces)
  if (!Number.isInteger(size) || size < 1)
    throw new Error(`--pieces: expected a whole number of bytes, at least 1, got "${pieces}"`)
  return size
}

/** The id and time are constant, so that a recording always has the same translation. */
export const headOf = (name: string): Head => ({
  id: `resp_${name.replace(/[^A-Za-z0-9_-]/g, '_')}`,
  created_at: 0,
  model: 'unknown',
  echo: EMPTY_ECHO,
})

interface Translated {
  readonly text: string
  readonly outcome: Outcome
}

function ofBody(options: TranslationOptions, bytes: Uint8Array, whole: boolean): Translated {
  const text = new TextDecoder().decode(bytes)
  if (whole) {
    const { body, outcome } = translateWholeBody(options, text)
    return { text: toJsonText(body), outcome }
  }
  const streamed = streamWholeBody(options, text)
  return { text: new TextDecoder().decode(streamed.bytes), outcome: streamed.outcome }
}

function ofStream(options: TranslationOptions, bytes: Uint8Array, whole: boolean, size: number): Translated {
  if (whole) {
    const collector = createBodyCollector(options)
    for (const piece of cut(bytes, size)) collector.push(piece)
    collector.push('end')
    return { text: toJsonText(collector.body()), outcome: collector.outcome() }
  }
  const translation = createTranslation(options)
  const outputs = [...cut(bytes, size)].map((piece) => translation.push(piece))
  const text = new TextDecoder().decode(Buffer.concat([...outputs, translation.push('end')]))
  return { text, outcome: translation.outcome() }
}

function* cut(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const toJsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
