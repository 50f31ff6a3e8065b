import { expect, it } from 'vitest'
import type { UpstreamOptions } from '../../src/api/named-upstream.ts'
import { translateRequest } from '../../src/api/translate-request.ts'
import { VENDOR_NAMES } from '../../src/vendors/registry.ts'

/** `never`, to which no name can be assigned, if the type of a vendor is any string: editors would complete nothing. */
type Completed = Extract<UpstreamOptions['vendor'], 'groq' | 'anthropic' | 'google' | 'bedrock'>

it('names of vendors are completed by editors, and any other name is a name as well', () => {
  const completed: readonly Completed[] = ['groq', 'anthropic', 'google', 'bedrock']
  expect(VENDOR_NAMES).toEqual(expect.arrayContaining([...completed]))
  const names: readonly NonNullable<UpstreamOptions['vendor']>[] = VENDOR_NAMES
  for (const vendor of names.filter((name) => completed.some((one) => one === name)))
    expect(translateRequest({ model: 'm', input: 'Hello!' }, { vendor })).toMatchObject({ ok: true })
})
