// The functional interfaces of java.util.function: a closure can implement each of them.
import { declareInterface } from './classes.ts'

const functional = (name: string, method: string) => declareInterface(`java.util.function.${name}`, method)

export const FunctionInterface = functional('Function', 'apply')
export const BiFunctionInterface = functional('BiFunction', 'apply')
export const UnaryOperatorInterface = declareInterface('java.util.function.UnaryOperator', 'apply', FunctionInterface)
export const BinaryOperatorInterface = declareInterface(
  'java.util.function.BinaryOperator',
  'apply',
  BiFunctionInterface,
)
export const SupplierInterface = functional('Supplier', 'get')
export const ConsumerInterface = functional('Consumer', 'accept')
export const BiConsumerInterface = functional('BiConsumer', 'accept')
export const PredicateInterface = functional('Predicate', 'test')
export const BiPredicateInterface = functional('BiPredicate', 'test')
export const BooleanSupplierInterface = functional('BooleanSupplier', 'getAsBoolean')
export const IntSupplierInterface = functional('IntSupplier', 'getAsInt')
export const IntFunctionInterface = functional('IntFunction', 'apply')
export const IntPredicateInterface = functional('IntPredicate', 'test')
export const IntUnaryOperatorInterface = functional('IntUnaryOperator', 'applyAsInt')
export const IntBinaryOperatorInterface = functional('IntBinaryOperator', 'applyAsInt')
export const LongSupplierInterface = functional('LongSupplier', 'getAsLong')
export const ToIntFunctionInterface = functional('ToIntFunction', 'applyAsInt')
export const ToLongFunctionInterface = functional('ToLongFunction', 'applyAsLong')
export const ToDoubleFunctionInterface = functional('ToDoubleFunction', 'applyAsDouble')
