import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { TranslationOptions } from '../engine/answer.ts'
import { createBodyCollector, translateWholeBody } from '../engine/body-collector.ts'
import type { Outcome } from '../engine/outcome.ts'
import { createTranslation, streamWholeBody } from '../engine/translation.ts'
import type { Head } from '../protocol/response.ts'
import { EMPTY_ECHO } from '../responses/echo.ts'
import { findVendor, VENDOR_NAMES } from '../vendors/registry.ts'
import { quirksOn } from '../vendors/vendor.ts'
import type { WireName } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import { findWire, WIRES } from '../wires/registry.ts'
import { findNamed, unknownName } from './names.ts'
import { readRecordingFile, reasonOf, recordingFault } from './recording-file.ts'
import { STDIN, type Streams } from './streams.ts'
import { findTarget, TARGET_NAMES } from './target.ts'

/** The options of the command; their help has the meanings. */
export interface TranslateOptions {
  readonly from?: string
  readonly to?: string
  readonly vendor?: string
  readonly collect?: boolean
  readonly pieces?: string
  readonly out?: string
}

/**
 * Translates recorded upstream bytes to files, or to the standard output. The same bytes give the same output. A
 * recording that is not a whole answer of its wire is translated as well: a cut stream has a translation like any
 * other, and the standard error names the defect and the dropped values. An error that the vendor reported is a valid
 * answer.
 */
export async function translateFiles(
  files: readonly string[],
  options: TranslateOptions,
  streams: Streams = process,
): Promise<number> {
  const wire = findNamed('--from', options.from, Object.keys(WIRES), findWire)
  const target = findNamed('--to', options.to, TARGET_NAMES, findTarget)
  refuseFiles(files)
  const quirks = quirksOf(options.vendor, wire.name, streams)
  const size = pieceSize(options.pieces)
  const whole = options.collect === true
  const suffix = whole ? target.wholeSuffix : `${options.to}.${target.extension}`
  if (options.out !== undefined) {
    refuseSameNames(files, suffix)
    await createFolder(options.out)
  }
  for (const file of files) {
    const recording = await readRecordingFile('translate', file, wire, streams)
    const { name, isBody, bytes } = recording
    const answer = { wire, quirks, head: headOf(name), target: target.target }
    const { text, outcome } = isBody ? ofBody(answer, bytes, whole) : ofStream(answer, bytes, whole, size)
    if (options.out === undefined) streams.stdout.write(text)
    else await writeOutput(options.out, `${name}.${suffix}`, text)
    const fault = recordingFault(outcome, wire, recording)
    if (fault !== null) streams.stderr.write(`millrace: ${file}: ${fault}\n`)
    if (outcome.losses.length > 0) streams.stderr.write(`millrace: ${file}: dropped: ${listed(outcome.losses)}\n`)
  }
  return 0
}

/** A loss may repeat an upstream's text, which may contain control characters. */
const listed = (losses: readonly string[]): string => losses.join(', ').replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')

function refuseFiles(files: readonly string[]): void {
  if (files.length === 0) throw new Error('translate: expected at least one FILE, or - for the standard input')
  if (files.filter((file) => file === STDIN).length > 1) {
    throw new Error('translate: expected the standard input (-) at most once among the FILEs')
  }
}

/** Refuses files whose outputs would overwrite each other. Some file systems ignore case. */
function refuseSameNames(files: readonly string[], suffix: string): void {
  const first = new Map<string, string>()
  for (const file of files) {
    const target = `${path.parse(file).name}.${suffix}`
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
    throw new Error(`--out: "${out}" is not a folder and cannot become one: ${reasonOf(error)}. Name a folder.`)
  }
}

async function writeOutput(out: string, name: string, text: string): Promise<void> {
  try {
    await writeFile(path.join(out, name), text)
  } catch (error) {
    throw new Error(`--out: the output cannot be written to "${out}": ${reasonOf(error)}`)
  }
}

/** Recordings of unknown vendors are translated without quirks. */
export function quirksOf(vendor: string | undefined, wire: WireName, { stderr }: Streams): Quirks {
  const row = vendor === undefined ? undefined : findVendor(vendor)
  if (vendor !== undefined && row === undefined) {
    stderr.write(`millrace: ${unknownName('--vendor', vendor, VENDOR_NAMES, ': no quirks')}\n`)
  }
  return row === undefined ? {} : quirksOn(row, wire)
}

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
    for (const piece of cut(bytes, size)) collector.receive(piece)
    collector.end()
    return { text: toJsonText(collector.body()), outcome: collector.outcome() }
  }
  const translation = createTranslation(options)
  const outputs = [...cut(bytes, size)].map((piece) => translation.receive(piece))
  const text = new TextDecoder().decode(Buffer.concat([...outputs, translation.end()]))
  return { text, outcome: translation.outcome() }
}

function* cut(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const toJsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
