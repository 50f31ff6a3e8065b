import { expect, it } from 'vitest'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import { toOpenApi } from '../../../src/gateway/openapi/document.ts'
import type { Loose } from '../../engine/encoded-call.ts'

const loaded = checkConfigValue({})
const MOUNTS = loaded.ok ? loaded.config.mounts : []
const DOCUMENTS = MOUNTS.map((mount) => [mount.path, toOpenApi(mount, true) as Loose] as const)

it.each(DOCUMENTS)('the response of %s has each status with which an answer can end', (_, { components }) => {
  const statuses = ['in_progress', 'completed', 'incomplete', 'failed']
  expect(components.schemas.Response.properties.status.enum.toSorted()).toEqual(statuses.toSorted())
  const reasons = JSON.stringify(components.schemas.Response.properties.incomplete_details)
  expect(reasons).toContain('"enum":["max_output_tokens","content_filter"]')
})

it.each(DOCUMENTS)(
  'each operation of %s has an answer with the status 200, and only refusals besides',
  (_, { paths }) => {
    for (const [path, operations] of Object.entries<Loose>(paths)) {
      for (const { responses } of Object.values<Loose>(operations)) {
        const [first, ...others] = Object.keys(responses).toSorted()
        expect(first, path).toBe('200')
        for (const status of others) expect(status, path).toMatch(/^[45]\d\d$/)
      }
    }
  },
)

it.each(DOCUMENTS)('the answers of %s have the media types in which its clients receive them', (_, { paths }) => {
  const typesOf = (path: string, method = 'post'): readonly string[] =>
    Object.keys(paths[path][method].responses['200'].content).toSorted()
  const both = ['application/json', 'text/event-stream']
  for (const path of ['/responses', '/chat/completions', '/messages', '/models/{model}:streamGenerateContent'])
    expect(typesOf(path), path).toEqual(both)
  expect(typesOf('/api/chat')).toEqual(['application/json', 'application/x-ndjson'])
  for (const path of ['/responses/compact', '/responses/input_tokens', '/models/{model}:generateContent'])
    expect(typesOf(path), path).toEqual(['application/json'])
  expect(typesOf('/responses/{id}', 'get')).toEqual(['text/event-stream'])
})
