import type { ConfigOf } from '../destination-types.ts'
import { type Exporter, JSON_TYPE, post } from './http-request.ts'
import { COLUMNS, type ColumnTypes, columnList, toRow } from './rows.ts'

const TYPES: ColumnTypes = {
  text: 'VARCHAR',
  json: 'VARIANT',
  time: 'TIMESTAMP_NTZ(3)',
  count: 'NUMBER',
  number: 'FLOAT',
  truth: 'BOOLEAN',
}

/** Returns the statement that creates the table for traces. */
export const snowflakeTable = (table: string): string => `CREATE TABLE ${quoteName(table)} (\n${columnList(TYPES)}\n);`

const names = Object.keys(COLUMNS)
const values = Object.entries(COLUMNS).map(([name, { type }]) =>
  type === 'json' ? `TRY_PARSE_JSON(value:${name}::VARCHAR)` : `value:${name}::${TYPES[type]}`,
)

/**
 * Sends one INSERT through the SQL API. All rows are one bound value, so that none of their content is parsed as SQL.
 */
export const snowflake: Exporter<ConfigOf<'snowflake'>> = (traces, config) => {
  const { account, token, database, schema, table, warehouse } = config
  const statement =
    `INSERT INTO ${quoteName(table)} (${names.join(', ')}) ` +
    `SELECT ${values.join(', ')} FROM TABLE(FLATTEN(INPUT => PARSE_JSON(?)))`
  const headers = {
    ...JSON_TYPE,
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    'user-agent': 'millrace',
    'x-snowflake-authorization-token-type': 'PROGRAMMATIC_ACCESS_TOKEN',
  }
  const body = JSON.stringify({
    statement,
    bindings: { 1: { type: 'TEXT', value: JSON.stringify(traces.map(toRow)) } },
    database,
    schema,
    warehouse,
    timeout: 60,
  })
  return post(`https://${toHost(account)}/api/v2/statements`, headers, body, traces.length)
}

/** Host names have no underscores; Snowflake accepts hyphens in their place. */
const toHost = (account: string): string => `${account.replaceAll('_', '-').toLowerCase()}.snowflakecomputing.com`

const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`
