import { trimSlashes } from '../../text/trim-slashes.ts'
import type { ConfigOf } from '../destination-types.ts'
import { toExportRequest } from '../spans.ts'
import type { Trace } from '../trace.ts'
import { type Exporter, JSON_TYPE } from './http-request.ts'

const STANDARD_REGION = 'us-east-1'

/** Writes one object for each trace: OTLP in its JSON form. */
export const s3: Exporter<ConfigOf<'s3'>> = (traces, config) =>
  traces.map((trace) => ({
    method: 'PUT',
    url: `${bucketUrl(config)}/${objectKey(trace, config)}`,
    headers: JSON_TYPE,
    body: JSON.stringify(toExportRequest([trace])),
    traces: 1,
    signing: {
      service: 's3',
      region: config.region || STANDARD_REGION,
      accessKeyId: config.accessKeyId,
      secretAccessKey: config.secretAccessKey,
      sessionToken: config.sessionToken || null,
    },
  }))

/**
 * The bucket is part of the path at stores other than AWS, and if its name has a dot, which the wildcard certificate of
 * the host would not match.
 */
function bucketUrl({ endpoint, bucketName, region }: ConfigOf<'s3'>): string {
  const bucket = escapeSegment(bucketName)
  if (endpoint) return `${trimSlashes(endpoint)}/${bucket}`
  const host = `s3.${region || STANDARD_REGION}.amazonaws.com`
  return bucketName.includes('.') ? `https://${host}/${bucket}` : `https://${bucket}.${host}`
}

/** Fills in the path template and adds the file name, escaped as signatures require. */
function objectKey(trace: Trace, { prefix, pathTemplate }: Pick<ConfigOf<'s3'>, 'prefix' | 'pathTemplate'>): string {
  const date = new Date(trace.startedAt).toISOString().slice(0, 10)
  const [year = '', month = '', day = ''] = date.split('-')
  const variables: ReadonlyMap<string, string> = new Map([
    ['{prefix}', prefix],
    ['{date}', date],
    ['{year}', year],
    ['{month}', month],
    ['{day}', day],
    // A key name stays one segment, whatever characters it has.
    ['{apiKeyName}', trace.keyName.replaceAll('/', '_')],
  ])
  const path = pathTemplate.replaceAll(/\{\w+\}/g, (variable) => variables.get(variable) ?? variable)
  const name = `${trace.traceId}-${toTimestamp(trace)}.json`
  return [...path.split('/'), name]
    .filter((segment) => !/^\.{0,2}$/.test(segment))
    .map(escapeSegment)
    .join('/')
}

/**
 * Returns nanoseconds since 1970. The clock is exact to the millisecond; the other digits derive from the span id, so
 * that two requests of one trace that begin in the same millisecond do not become one object.
 */
const toTimestamp = ({ startedAt, spanId }: Trace): string =>
  String(Math.floor(startedAt)) + String(Number.parseInt(spanId.slice(0, 8), 16) % 1_000_000).padStart(6, '0')

const escapeSegment = (segment: string): string =>
  encodeURIComponent(segment.replaceAll(/[\ud800-\udfff]/gu, '\ufffd')).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
