import type { ConfigOf } from '../destination-types.ts'
import { type Exporter, JSON_TYPE, post } from './http-request.ts'
import { type ColumnTypes, columnList, toRow } from './rows.ts'

const TYPES: ColumnTypes = {
  text: 'String',
  json: 'String',
  time: "DateTime64(3, 'UTC')",
  count: 'Nullable(Int64)',
  number: 'Nullable(Float64)',
  truth: 'UInt8',
}

/** Returns the statement that creates the table for traces. */
export const clickhouseTable = (table: string): string =>
  `CREATE TABLE ${quoteName(table)} (\n${columnList(TYPES)}\n)\nENGINE = MergeTree\nORDER BY (TIMESTAMP, TRACE_ID);`

/** Inserts rows as JSON lines through the HTTP interface. */
export const clickhouse: Exporter<ConfigOf<'clickhouse'>> = (traces, { host, database, username, password, table }) => {
  const url = new URL(/^https?:\/\//.test(host) ? host : `https://${host}`)
  url.searchParams.set('database', database)
  url.searchParams.set('query', `INSERT INTO ${quoteName(table)} FORMAT JSONEachRow`)
  const body = traces.map((trace) => JSON.stringify(toRow(trace))).join('\n')
  const headers = { ...JSON_TYPE, 'x-clickhouse-user': username, 'x-clickhouse-key': password }
  return post(url.href, headers, body, traces.length)
}

const quoteName = (name: string): string => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``
