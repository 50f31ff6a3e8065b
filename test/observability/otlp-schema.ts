import { createRequire } from 'node:module'

/** The type that protobufjs generates for a message of the official definitions. */
interface MessageType {
  verify(message: object): string | null
  fromObject(message: object): object
  toObject(message: object, options: object): object
  encode(message: object): { finish(): Uint8Array }
  decode(bytes: Uint8Array): object
}

// The package of OpenTelemetry itself, which contains the compiled definitions of opentelemetry-proto.
const root = createRequire(import.meta.url)('@opentelemetry/otlp-transformer/build/src/generated/root.js')
const REQUEST: MessageType = root.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest

const hexToBase64 = (text: string): string => Buffer.from(text, 'hex').toString('base64')

/**
 * Ids are hexadecimal in OTLP's JSON and base64 in the JSON of protobuf. That is the only difference between the two.
 */
const withIds = (value: unknown, change: (text: string) => string): unknown =>
  JSON.parse(JSON.stringify(value), (key, inner) =>
    /^(trace|span|parentSpan)Id$/.test(key) && typeof inner === 'string' ? change(inner) : inner,
  )

const SHOWN = { longs: String, bytes: String, enums: Number }
const toHex = (text: string): string => Buffer.from(text, 'base64').toString('hex')

/**
 * Parses OTLP's JSON by the definitions. Fields that the definitions do not have, or have with another type, are
 * missing in the result.
 */
export function readJson(text: string): object {
  const message = withIds(JSON.parse(text), hexToBase64) as object
  const parsed = REQUEST.fromObject(message)
  const problem = REQUEST.verify(parsed)
  if (problem !== null) throw new Error(problem)
  return readBytes(REQUEST.encode(parsed).finish())
}

/** Decodes the binary form by the definitions, and returns it as OTLP's JSON. */
export const readBytes = (bytes: Uint8Array): object =>
  withIds(REQUEST.toObject(REQUEST.decode(bytes), SHOWN), toHex) as object
