export * from '../../src/testing/scripted/wire-upstream.ts'
