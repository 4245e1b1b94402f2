import type { Part } from '../suite.ts'
import { login } from './login.ts'

export const PARTS: readonly Part[] = [login]
