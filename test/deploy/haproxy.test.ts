import { expect, it } from 'vitest'
import { readDeployed } from './files.ts'

it('the configuration of HAProxy passes each chunk of a stream on at once', () => {
  expect(readDeployed('haproxy.cfg')).toMatch(/^defaults\n(?: .*\n|\n)* {2}option http-no-delay$/m)
})
