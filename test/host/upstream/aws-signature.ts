import { createHash, createHmac } from 'node:crypto'
import type { Delivery } from '../telemetry/receiver.ts'

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/**
 * Returns true if a delivery has a valid signature with this key: AWS Signature Version 4 as its document describes it
 * for S3, computed from the received request. The server signs with a library, and this function must not share its
 * code.
 */
export function isSignedBy({ method, url, headers, body }: Delivery, secretAccessKey: string): boolean {
  const parsed = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
    headers.authorization ?? '',
  )
  const [, credential = '', names = '', signature] = parsed ?? []
  const [, day = '', region = '', service = '', last] = credential.split('/')
  const signed = names.split(';').map((name) => `${name}:${String(headers[name] ?? '').trim()}\n`)
  const payload = String(headers['x-amz-content-sha256'])
  if (payload !== sha256(body) || last !== 'aws4_request' || service !== 's3') return false
  const canonical = [method, url.split('?')[0], '', signed.join(''), names, payload].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = [region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${secretAccessKey}`, day))
  return hmac(key, text).toString('hex') === signature && names.split(';').includes('host')
}
