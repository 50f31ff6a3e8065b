import { DESTINATION_TYPES, type DestinationType } from '../../src/observability/variants.ts'
import { configFor, uuid } from '../observability/samples.ts'
import { KEY, sha256 } from './harness.ts'

export const MANAGEMENT_KEY = 'management-key-of-nobody'

export const KEYS = [
  { name: 'tester', sha256: sha256(KEY) },
  { name: 'boss', sha256: sha256(MANAGEMENT_KEY), kind: 'management' },
]

/** A destination as a configuration file has it. */
export const entryOf = (type: DestinationType, number: number, changes: object = {}) => ({
  id: uuid(number),
  type,
  name: `${type} ${number}`,
  created_at: '2026-10-01T12:00:00Z',
  config: configFor(type),
  ...changes,
})

export const ONE_OF_EACH = DESTINATION_TYPES.map((type, at) => entryOf(type, at + 1))

export const PATH = '/api/v1/observability/destinations'

export const listing = (url: string, query = '', key: string | null = MANAGEMENT_KEY): Promise<Response> =>
  fetch(`${url}${PATH}${query}`, key === null ? {} : { headers: { authorization: `Bearer ${key}` } })
