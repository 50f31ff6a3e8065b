import { createHash } from 'node:crypto'

export const KEY = 'test-key-of-nobody'
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
