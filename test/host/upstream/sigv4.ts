import { createHash, createHmac } from 'node:crypto'

/**
 * AWS Signature Version 4, written from its description for the tests, to recompute signatures that other code made.
 * `path` and `query` are as they were sent. The server of every service but S3 encodes the path once more.
 */
export interface Signable {
  readonly method: string
  readonly path: string
  readonly query: string
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The time as `20150830T123600Z`, and the region, the service and the secret of the key. */
export interface Scope {
  readonly time: string
  readonly region: string
  readonly service: string
  readonly secret: string
}

const hash = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text, 'utf8').digest()

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)

export const signingKey = ({ time, region, service, secret }: Scope): Buffer =>
  [time.slice(0, 8), region, service, 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secret}`) as Buffer

export function signatureOf(request: Signable, signed: readonly string[], scope: Scope): string {
  const query = request.query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => pair.split('=', 2).map((part) => encode(decodeURIComponent(part ?? ''))))
    .map(([name, value = '']) => `${name}=${value}`)
    .sort()
  const canonical = [
    request.method,
    request.path.split('/').map(encode).join('/'),
    query.join('&'),
    ...signed.map((name) => `${name}:${(request.headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    signed.join(';'),
    hash(request.body),
  ].join('\n')
  const where = `${scope.time.slice(0, 8)}/${scope.region}/${scope.service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', scope.time, where, hash(canonical)].join('\n')
  return hmac(signingKey(scope), text).toString('hex')
}
