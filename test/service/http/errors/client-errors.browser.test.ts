import { describeClientErrors } from './describe-client-errors.js';

describeClientErrors();
