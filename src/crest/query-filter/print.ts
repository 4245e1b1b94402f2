import { formatQueryPointer } from '../pointer.ts'
import type { QueryFilter } from './filter.ts'

/** Formats a filter so that parsing gives the same filter. */
export function printQueryFilter(filter: QueryFilter): string {
  switch (filter.kind) {
    case 'literal':
      return String(filter.value)
    case 'present':
      return `${formatQueryPointer(filter.pointer)} pr`
    case 'comparison':
      return `${formatQueryPointer(filter.pointer)} ${filter.operator} ${JSON.stringify(filter.value)}`
    case 'not':
      return `!(${printQueryFilter(filter.filter)})`
    case 'and':
      return filter.filters.map(grouped).join(' and ')
    case 'or':
      return filter.filters.map((part) => (part.kind === 'or' ? grouped(part) : printQueryFilter(part))).join(' or ')
  }
}

function grouped(filter: QueryFilter): string {
  const text = printQueryFilter(filter)
  return filter.kind === 'and' || filter.kind === 'or' ? `(${text})` : text
}
