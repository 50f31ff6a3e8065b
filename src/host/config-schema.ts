import * as z from 'zod'
import { CONFIG } from './config.ts'

/**
 * The JSON Schema of a configuration file; shipped as `schema/config.schema.json`, for editors. A test writes it
 * (`vitest -u`) and proves that it is current.
 */
export const toConfigSchema = (): object => ({
  title: 'millrace configuration',
  ...z.toJSONSchema(CONFIG, { io: 'input' }),
})
